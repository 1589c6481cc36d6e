namespace eval shop {
  # Adds up.
  proc total {lines {tax 0.2}} {
    proc inner {} {}
    return 1
  }
}
proc main args { puts "}" }
