/* Who may come in. */
package org.example.auth;

import java.util.List;
import static java.util.Objects.requireNonNull;
import org.example.types.*;

/**
 * Checks tokens.
 *
 * @since 1
 */
@Service
@Scope(value = "session", proxy = Proxy.NONE)
public abstract class TokenValidator<T extends Token> extends Base implements Validator, AutoCloseable {
    /** What every header begins with. */
    public static final String PREFIX = "Bearer ";
    private final List<Role> roles;
    protected int hits, misses;
    volatile boolean open = true;

    static {
        register();
    }

    @Inject
    public TokenValidator(List<Role> roles) {
        this.roles = requireNonNull(roles);
    }

    /** Validates one. */
    @Override
    public <R> Claims validate(
            final String token,
            Function<T, R> with) throws AuthException {
        int local = 1;
        Runnable later = new Runnable() {
            @Override
            public void run() {}
        };
        return null;
    }

    protected abstract void close();

    static boolean blank(String text) {
        return text.isEmpty();
    }

    private static class Cache {
        Object[] items;
    }

    enum Level {
        GUEST,
        MEMBER(1) {
            @Override
            int rank() {
                return 2;
            }
        };

        private int rank;

        Level() {}

        int rank() {
            return rank;
        }
    }
}

interface Validator {
    int LIMIT = 3;

    Claims validate(String token);

    default boolean lenient() {
        return false;
    }
}

public record Claims(String subject, List<Role> roles) {
    public Claims {
        requireNonNull(subject);
    }

    public boolean has(Role role) {
        return roles.contains(role);
    }
}

@interface Secured {
    String[] value() default {};
}
