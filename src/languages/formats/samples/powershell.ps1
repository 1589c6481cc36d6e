using module Shop.Base
Import-Module Pester
<#
function Hidden {}
#>
$script:Cache = @{}

# Adds up.
function Get-Total {
    param([string[]] $Lines)
    $text = @"
function Not-Here {
"@
    function Get-Tax {
        0.2
    }
    "{0}" -f $Lines.Count
}
filter global:Select-Paid { $_ }
enum State { Open
  Paid }
class Order {
    [int] $Id
    hidden [string[]] $Lines
    Order([int] $id) { $this.Id = $id }
    [decimal] Total() { return 1 }
}
