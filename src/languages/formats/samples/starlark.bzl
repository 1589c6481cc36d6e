load("@rules_cc//cc:defs.bzl", "cc_library")
VERSION = "1"
# Makes a shop.
def shop(name, srcs = []):
    inner = name
    return inner

cc_library(
    name = "orders",
    srcs = ["orders.cc"],
)
