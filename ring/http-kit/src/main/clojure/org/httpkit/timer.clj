;; SPDX-License-Identifier: Apache-2.0
(ns org.httpkit.timer
  "Tasks that run after a while, by the names of http-kit. They run on virtual threads, so one that blocks
  delays no other."
  (:import (java.util.concurrent Executors Future ScheduledExecutorService ScheduledThreadPoolExecutor ThreadFactory
                                 TimeUnit)
           (java.util.concurrent.atomic AtomicBoolean)))

(set! *warn-on-reflection* true)

(def ^:private clock
  "The thread that waits. It ends when there was nothing to wait for, and does not keep the JVM alive."
  (delay
    (doto (ScheduledThreadPoolExecutor.
           1
           (reify ThreadFactory
             (newThread [_ task]
               (doto (Thread. task "sirocco-http-kit-timer") (.setDaemon true)))))
      (.setRemoveOnCancelPolicy true)
      (.setKeepAliveTime 4 TimeUnit/MINUTES)
      (.allowCoreThreadTimeOut true))))

(deftype ^:private Task [^AtomicBoolean claimed scheduled]) ; claimed by the run or by cancel, whichever is first

(defn ^:no-doc schedule
  "Calls f after a number of milliseconds. Returns a task for cancel."
  [ms f]
  (let [claimed (AtomicBoolean.)
        run #(when (.compareAndSet claimed false true) (Thread/startVirtualThread f))]
    (Task. claimed (.schedule ^ScheduledExecutorService @clock ^Runnable run (long ms) TimeUnit/MILLISECONDS))))

(defn cancel
  "Cancels a task. Returns true if it will not run, false if it has run or was cancelled before."
  [^Task task]
  (let [cancelled (.compareAndSet ^AtomicBoolean (.-claimed task) false true)]
    (.cancel ^Future (.-scheduled task) false)
    cancelled))

(defmacro schedule-task
  "Runs the body after a number of milliseconds. Returns a task for cancel."
  [ms & body]
  `(schedule ~ms (fn [] ~@body)))

(defmacro with-timeout
  "Evaluates timeout-form after a number of milliseconds, unless the body calls the function f before. When
  the timeout has passed, a call of f in the body does nothing and returns nil."
  [f ms timeout-form & body]
  `(let [task# (schedule-task ~ms ~timeout-form)
         named# ~f
         ~f (fn [& arguments#] (when (cancel task#) (apply named# arguments#)))]
     ~@body))
