# Adds up.
function total(a, b) {
  return a + b
}
{ print total($1, $2) "function no() {" }
