library(dplyr)
source("helpers.R")

rate <- 0.2

#' Adds up an order.
#' @export
total <- function(lines, tax = rate) {
  inner <- function(x) x * 2
  sum(lines$price) * (1 + tax)
}

`print<-.order` = function(x, value)
{
  x
}

square <- \(x) x^2

Cart <- R6::R6Class("Cart",
  public = list(
    add = function(line) {
      self$lines <- c(self$lines, line)
    },
    size = function() length(self$lines)
  )
)

setClass("Order", representation(id = "numeric"))
setGeneric("pay", function(x) standardGeneric("pay"))
setMethod("pay", "Order", function(x) TRUE)
text <- "
hidden <- function() {}
"
