(define tax 0.2)
; Adds up.
(define (total lines)
  (define (inner x) x)
  (apply + lines))
(define-record-type order (make-order id) order? (id order-id))
(define-syntax while
  (syntax-rules () ((_ c) c)))
#| (define (hidden) 1) |#
