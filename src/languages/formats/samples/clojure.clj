(ns shop.orders
  "Orders."
  (:require [clojure.string :as str]))

(def ^:private tax 0.2)

;; Adds up.
(defn total
  [lines]
  (reduce + (map :price lines)))

(defn- hidden? [x] (= x \())

(defmacro with-order [order & body]
  `(do ~@body))

(defprotocol Payer
  (pay [this amount])
  (refund [this]))

(defrecord Cart [lines])
(defmulti ship :kind)
(defmethod ship :default [_] "(defn no [])")
(deftest total-test (is true))
