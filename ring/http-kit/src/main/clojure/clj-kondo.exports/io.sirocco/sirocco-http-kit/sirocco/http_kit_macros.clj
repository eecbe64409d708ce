;; SPDX-License-Identifier: Apache-2.0
(ns sirocco.http-kit-macros
  "What clj-kondo expands macros to, in the place of the real ones.")

(defmacro with-channel [request ch-name & body]
  `(let [~ch-name (:async-channel ~request)]
     ~@body
     {:body ~ch-name}))
