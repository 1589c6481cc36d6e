module shop
  use iso_fortran_env, only: real64
  implicit none
  type, extends(base) :: order
    integer :: id
  contains
    procedure, public :: pay
  end type order
  interface total
    module procedure total_real
  end interface
contains
  !> Adds up.
  pure real(real64) function total_real(lines) result(sum)
    real(real64), intent(in) :: lines(:)
    if (size(lines) > 0) then
      sum = 1
    end if
  end function total_real
  SUBROUTINE PAY(self)
    class(order) :: self
    type(order) :: other
  END
end module shop
program main
  print *, "subroutine hidden"
end program
