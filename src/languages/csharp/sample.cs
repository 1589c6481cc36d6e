// Who may come in.
using System;
using System.Collections.Generic;
using static System.Math;
using Alias = Example.Types.Role;

namespace Example.Auth;

/// <summary>Checks tokens.</summary>
[Serializable]
[Route("api/[controller]")]
public abstract partial class TokenValidator<T> : Base, IValidator where T : Token
{
    /// What every header begins with.
    public const string Prefix = "Bearer ";
    private readonly List<Role> _roles = new();
    protected internal int hits, misses;
    public static event EventHandler? Changed;

    public TokenValidator(List<Role> roles) : base(roles)
    {
        _roles = roles;
    }

    static TokenValidator() { }

    ~TokenValidator() { }

    /// <summary>
    /// Validates one.
    /// </summary>
    [HttpGet("{id}")]
    public async Task<Claims?> ValidateAsync(
        string token,
        CancellationToken cancel = default)
    {
        var local = 1;
        bool Inner(int a) => a > local;
        return Inner(2) ? null : await Load(token);
    }

    protected abstract void Close();
    internal static bool Blank(string text) => text.Length == 0;

    public string Name { get; private set; } = "";
    public int Count => _roles.Count;
    public Role this[int index] => _roles[index];
    public static bool operator ==(TokenValidator<T> a, TokenValidator<T> b) => true;

    private class Cache
    {
        object[] items;
    }
}

public interface IValidator
{
    Task<Claims?> ValidateAsync(string token, CancellationToken cancel);
    bool Lenient { get; }
}

public record Claims(string Subject, List<Role> Roles)
{
    public bool Has(Role role) => Roles.Contains(role);
}

public record struct Point(int X, int Y);

internal struct Meters
{
    public double Value;
}

enum Level : byte
{
    Guest,
    /// May write.
    Member = 2,
}

public delegate void Handler<in T>(T item);
