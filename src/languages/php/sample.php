<?php

declare(strict_types=1);

namespace App\Models;

use App\Contracts\Priced;
use App\Support\{Clock, Money as Cents};
use function App\Support\now;

const LIMIT = 5, RETRIES = 3;
define('APP_START', microtime(true));

/**
 * What a customer ordered.
 */
#[Table('orders')]
abstract class Order extends Model implements Priced
{
    use HasEvents;

    public const STATUS_OPEN = 'open';
    private const SECRET = 'x', SALT = 'y';
    const PLAIN = 1;

    public string $note = '', $label;
    protected static ?Clock $clock = null;
    var $legacy;

    public function __construct(private readonly int $id, protected Cents $total, int $retries = 0)
    {
        $this->label = "order {$id}";
    }

    // Each kind of order says it itself.
    abstract protected function role(): string;

    public static function make(int $id): static
    {
        return new static($id, new Cents(0));
    }

    function total(): Cents
    {
        $double = function (int $n): int {
            return $n * 2;
        };
        return $this->total;
    }

    private function &reference(): array
    {
        return $this->items;
    }
}

final class GiftOrder extends Order
{
    protected function role(): string { return 'gift'; }
}

interface Countable
{
    const ZERO = 0;

    public function count(): int;
}

trait HasEvents
{
    private array $events = [];

    public function fire(string $event, mixed ...$payload): void
    {
        $this->events[] = [$event, $payload];
    }
}

enum Suit: string implements HasLabel
{
    case Hearts = 'H';
    case Spades = 'S';

    const Wild = self::Spades;

    public function label(): string
    {
        return ucfirst(strtolower($this->name));
    }
}

/** Rounds half up. */
function round_cents(float $amount): int
{
    return (int) floor($amount * 100 + 0.5);
}

if (! function_exists('tap')) {
    function tap($value, callable $callback)
    {
        $callback($value);
        return $value;
    }
}
