cmake_minimum_required(VERSION 3.24)
project(shop VERSION 1.2 LANGUAGES CXX)
#[==[
function(not_here)
]==]
include(GNUInstallDirs)
option(SHOP_TESTS "Build the tests" ON)
set(SHOP_SOURCES
  order.cpp
  cart.cpp)

add_library(shop STATIC ${SHOP_SOURCES})

# Adds one test.
function(shop_add_test name)
  set(inner "${name}.cpp")
  add_executable(${name} ${inner})
endfunction()

macro(shop_option NAME TEXT)
  option(${NAME} "${TEXT}" OFF)
endmacro()

add_custom_target(check COMMAND ctest)
