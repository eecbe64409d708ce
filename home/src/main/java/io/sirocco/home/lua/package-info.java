// SPDX-License-Identifier: Apache-2.0
/**
 * Lua: the thread of a controller, its sandbox and its limits.
 *
 * <p>{@link io.sirocco.home.lua.LuaRuntime} is what a controller uses. It has one {@code LuaState}
 * at a time: globals, objects, and the thread. Its {@code TaskRunner} runs what waits in a {@code
 * TaskQueue}; {@code Sandbox} fills the globals; {@code LimitHook} counts instructions.
 *
 * <p>Bounds, and the outcome at each:
 *
 * <table>
 * <caption>Limits</caption>
 * <tr><th>limit</th><th>default</th><th>outcome</th></tr>
 * <tr><td>time of a task, without tasks in between and without waits</td><td>30 s</td>
 *     <td>the task ends, pcall does not catch it</td></tr>
 * <tr><td>instructions of a task</td><td>4,000 million</td><td>the same</td></tr>
 * <tr><td>memory of a task</td><td>64 MiB, an eighth of the heap at most</td><td>the same</td></tr>
 * <tr><td>one of these, by the main script before its first wait</td><td></td>
 *     <td>the emergency script runs</td></tr>
 * <tr><td>one of these, by the main script later, between two waits</td><td></td>
 *     <td>status ERROR; calls and timers go on</td></tr>
 * <tr><td>length of a string</td><td>4 MiB</td><td>an error of Lua</td></tr>
 * <tr><td>calls within calls of a task</td><td>4,000</td><td>an error of Lua</td></tr>
 * <tr><td>text of load()</td><td>512 KiB</td><td>an error of Lua</td></tr>
 * <tr><td>results of table.unpack, string.byte</td><td>100,000</td><td>an error of Lua</td></tr>
 * <tr><td>objects of a state</td><td>1,000</td><td>an error of Lua</td></tr>
 * <tr><td>tasks within tasks</td><td>8, of checkAlive() 64</td><td>others wait</td></tr>
 * <tr><td>calls and tasks that wait; tasks with a delay</td><td>10,000 each</td>
 *     <td>refused</td></tr>
 * <tr><td>clients that receive reports</td><td>64</td><td>the oldest ends</td></tr>
 * <tr><td>text of a value</td><td>60,000 characters</td><td>value nil</td></tr>
 * <tr><td>the heap of the JVM, filled by what scripts keep</td><td></td>
 *     <td>the scripts are discarded and boot again</td></tr>
 * </table>
 *
 * <p>What a limit does not see: Java code between two instructions. Patterns, sorting, moves in
 * tables and long strings count as instructions. Java code of an object that blocks is ended by a
 * reset only, which interrupts its thread and abandons it. A task that waits resumes only after
 * those that have interrupted it have ended.
 */
package io.sirocco.home.lua;
