package Shop::Order;
use strict;
use Moo;
use constant TAX => 0.2;
our $VERSION = '1.0';

has total => (is => 'rw');

=head1 NAME

sub hidden { }

=cut

# Pays the order.
sub pay {
    my ($self, $amount) = @_;
    my $text = <<"END";
sub not_here {
END
    $amount =~ s/{//;
    return $amount;
}

sub new ($class, %args) { bless {%args}, $class }

package Shop::Cart;

sub add {
    my $count = $#{ $_[0] };
    return "it's # not a comment";
}

1;
__END__
sub after { }
