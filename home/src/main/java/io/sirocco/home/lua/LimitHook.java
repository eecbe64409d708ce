// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home.lua;

import com.sun.management.ThreadMXBean;
import io.sirocco.net.Clock;
import java.lang.System.Logger.Level;
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import org.luaj.vm2.Globals;
import org.luaj.vm2.Lua;
import org.luaj.vm2.LuaClosure;
import org.luaj.vm2.LuaError;
import org.luaj.vm2.LuaFunction;
import org.luaj.vm2.LuaString;
import org.luaj.vm2.LuaTable;
import org.luaj.vm2.LuaValue;
import org.luaj.vm2.Varargs;
import org.luaj.vm2.lib.DebugLib;
import org.luaj.vm2.lib.OneArgFunction;

/**
 * Enforces the limits of tasks. LuaJ calls it for every call and every instruction; it counts them,
 * and after 500 it looks at the clock, at what the task has allocated, and at whether other tasks
 * should run in between. Tasks are frames of a stack: the last one is the one that runs.
 *
 * <p>What a task allocates is garbage for the most part: each number is an object. So its memory is
 * how much the heap has grown since, as seen after a collection; it is looked at whenever the task
 * has allocated another sixteenth of the heap. A long string counts before it is made.
 *
 * <p>A task that exceeds its time, its instructions or its memory ends: the {@link ScriptStopped}
 * is thrown again at each instruction until the task has unwound, because a handler of {@code
 * xpcall} swallows even an Error. A string that is too long and calls that are too deep are errors
 * of Lua, which {@code pcall} catches.
 *
 * <p>Used by one thread, that of the scripts, except for {@link #stop}.
 */
final class LimitHook extends DebugLib {
    private static final String ARITHMETIC = "perform arithmetic on";
    private static final int QUANTUM = 500;
    private static final int LARGE_STRING = 64 << 10; // one that is counted at once
    private static final int LONG_TEXT = 1 << 10; // bytes that compare as fast as an instruction
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    /** A task that runs or is interrupted. */
    private static final class Frame {
        String name = "";
        int depth; // calls when it began
        int left; // instructions of the interrupted task up to its next check
        LuaValue errorHandler = LuaValue.NIL; // of the interrupted task
        long began;
        long others; // nanoseconds of tasks in between, and of waiting
        long instructions;
        long allocated; // by the thread when the heap was looked at, -1 until the first check
        long live; // bytes of the heap when it began, -1 until the heap is looked at
        long liveAt; // what the thread had allocated then
        ScriptStopped stopped;
    }

    private final LuaLimits limits;
    private final long memory; // bytes of a task
    private final int string; // bytes of the longest
    private final long step; // bytes that are allocated between two looks at the heap
    private final Clock clock;
    private final ScriptLog log;
    private final Runnable others; // runs tasks that wait
    private final Globals globals;

    private final Frame[] frames = new Frame[LuaLimits.PROBES + 4];
    private int tasks; // frames in use
    private Frame frame; // the last of them
    private long liveBefore = -1; // bytes of the heap before the last task that was stopped
    private long liveBeforeAt; // collections when it ended
    private int countdown = QUANTUM;
    private volatile ScriptStopped stopped; // all tasks

    private LuaClosure[] closures = new LuaClosure[64];
    private LuaValue[][] stacks = new LuaValue[64][];
    private int[] counters = new int[64];
    private int depth;

    LimitHook(LuaLimits limits, Clock clock, ScriptLog log, Globals globals, Runnable others) {
        this.limits = limits;
        long heap = Runtime.getRuntime().maxMemory();
        this.memory = Math.min(limits.memory(), heap / 8);
        this.string = (int) Math.min(limits.string(), memory / 16);
        this.step = Math.min(memory, heap / 16);
        this.clock = clock;
        this.log = log;
        this.globals = globals;
        this.others = others;
        Arrays.setAll(frames, index -> new Frame());
    }

    // Tasks

    /** Begins a task, which interrupts the one that runs. */
    void enter(String name) {
        Frame next = frames[tasks++];
        next.name = name;
        next.depth = depth;
        next.left = countdown;
        next.errorHandler = globals.running.errorfunc;
        next.began = clock.nanos();
        next.others = 0;
        next.instructions = 0;
        next.allocated = -1;
        next.live = -1;
        next.stopped = null;
        globals.running.errorfunc = ErrorMessage.INSTANCE;
        countdown = QUANTUM;
        frame = next;
    }

    /** Ends the task that {@link #enter} began. */
    void exit() {
        Frame ended = frame;
        while (depth > ended.depth) {
            onReturn(); // an error has unwound without returning
        }
        if (ended.stopped != null && ended.live >= 0) { // what it had is garbage now
            liveBefore = ended.live;
            liveBeforeAt = LiveHeap.collections();
        }
        globals.running.errorfunc = ended.errorHandler;
        countdown = ended.left;
        tasks--;
        if (tasks == 0) {
            frame = null;
            return;
        }
        frame = frames[tasks - 1];
        frame.others += clock.nanos() - ended.began;
        ended.stopped = null;
    }

    /** Returns how many tasks run or are interrupted. */
    int tasks() {
        return tasks;
    }

    /** Returns whether the stack has room for another task. */
    boolean roomForTask() {
        return tasks < frames.length && depth <= LuaLimits.DEPTH - LuaLimits.TASK_DEPTH;
    }

    /** Returns nanoseconds at the beginning of a wait, for {@link #waited}. */
    long now() {
        return clock.nanos();
    }

    /** Deducts a wait of the running task, which has begun at {@code since}, from its time. */
    void waited(long since, long othersBefore) {
        frame.others = othersBefore + (clock.nanos() - since);
    }

    /**
     * Counts a wait of the running task, and the tasks within the wait, as time of its own.
     *
     * @param othersBefore what did not count before the wait
     */
    void waitedInTime(long othersBefore) {
        frame.others = othersBefore;
        if (timeLeft() < 0) {
            check();
            exceedTime();
        }
    }

    /** Returns the nanoseconds that the running task may still use; negative when it must end. */
    long timeLeft() {
        return limits.time() - (clock.nanos() - frame.began - frame.others);
    }

    /** Returns the nanoseconds that do not count for the running task. */
    long others() {
        return frame.others;
    }

    /** Begins the limits of the running task anew: the main script has reached a wait. */
    void renew() {
        frame.began = clock.nanos();
        frame.others = 0;
        frame.instructions = 0;
        frame.allocated = -1;
        frame.live = -1;
    }

    /** Ends all tasks at their next instruction. Any thread. */
    void stop(ScriptStopped reason) {
        stopped = reason;
    }

    /** Returns whether all tasks end. Any thread. */
    boolean isStopped() {
        return stopped != null;
    }

    /** Throws if the running task must end. */
    void check() {
        ScriptStopped all = stopped;
        if (all != null) {
            countdown = 0;
            throw all;
        }
        if (frame.stopped != null) {
            countdown = 0;
            throw frame.stopped;
        }
    }

    // Work in Java that scripts cause: patterns, strings, tables.

    /** Counts work that costs as much as {@code steps} instructions, and checks the limits. */
    void spend(long steps) {
        if (frame == null) {
            return;
        }
        frame.instructions += Math.max(0, steps - countdown);
        countdown -= (int) Math.min(countdown, steps);
        if (countdown <= 0) {
            look(0);
        }
    }

    /** Counts that two values are compared: of strings, LuaJ looks at each byte. */
    void spendOnComparison(LuaValue left, LuaValue right) {
        if (left instanceof LuaString a && right instanceof LuaString b) {
            spendOnBytes(Math.min(a.m_length, b.m_length));
        }
    }

    /** Counts that LuaJ reads a value, be it a long string, as a key or as a number. */
    void spendOnText(LuaValue value) {
        if (value instanceof LuaString text) {
            spendOnBytes(text.m_length);
        }
    }

    private void spendOnBytes(int length) {
        if (length > LONG_TEXT) {
            spend(length >> 5);
        }
    }

    /** Returns how many bytes a string may have. */
    int longestString() {
        return string;
    }

    /**
     * Checks the length of a string before it is made.
     *
     * @throws LuaError if it is longer than a string may be
     */
    void allow(long length, String what) {
        if (length > string) {
            throw new LuaError(
                    what + ": the string would have " + length + " bytes, the limit is " + string);
        }
        if (length > LARGE_STRING) {
            look(length);
        }
    }

    // Called by LuaJ

    @Override
    public void onCall(LuaFunction function) {
        push(null, null);
    }

    @Override
    public void onCall(LuaClosure closure, Varargs arguments, LuaValue[] stack) {
        push(closure, stack);
    }

    private void push(LuaClosure closure, LuaValue[] stack) {
        if (depth >= LuaLimits.DEPTH
                || (frame != null && depth - frame.depth >= LuaLimits.TASK_DEPTH)) {
            throw new LuaError("stack overflow: the limit is " + LuaLimits.TASK_DEPTH + " calls");
        }
        if (depth == closures.length) {
            closures = Arrays.copyOf(closures, depth * 2);
            stacks = Arrays.copyOf(stacks, depth * 2);
            counters = Arrays.copyOf(counters, depth * 2);
        }
        closures[depth] = closure;
        stacks[depth] = stack;
        counters[depth] = 0;
        depth++;
    }

    @Override
    public void onReturn() {
        depth--;
        closures[depth] = null;
        stacks[depth] = null;
    }

    @Override
    public void onInstruction(int counter, Varargs values, int top) {
        int at = depth - 1;
        counters[at] = counter;
        int instruction = closures[at].p.code[counter];
        switch (instruction & 0x3f) {
            case Lua.OP_CONCAT -> {
                requireTexts(Lua.GETARG_B(instruction), Lua.GETARG_C(instruction), at);
                allowConcatenation(instruction, stacks[at]);
            }
            case Lua.OP_EQ, Lua.OP_LT, Lua.OP_LE -> {
                LuaValue left = operand(Lua.GETARG_B(instruction), at);
                LuaValue right = operand(Lua.GETARG_C(instruction), at);
                spendOnComparison(left, right);
            }
            case Lua.OP_ADD, Lua.OP_SUB, Lua.OP_MUL, Lua.OP_DIV, Lua.OP_MOD, Lua.OP_POW -> {
                requireNumbers(Lua.GETARG_B(instruction), Lua.GETARG_C(instruction), at);
                spendOnText(operand(Lua.GETARG_B(instruction), at)); // which may be a number
                spendOnText(operand(Lua.GETARG_C(instruction), at));
            }
            case Lua.OP_SETTABLE -> {
                requireValue(Lua.GETARG_A(instruction), at, "index");
                allowField(instruction, at);
            }
            case Lua.OP_UNM -> {
                requireValue(Lua.GETARG_B(instruction), at, ARITHMETIC);
                spendOnText(stacks[at][Lua.GETARG_B(instruction)]);
            }
            case Lua.OP_GETTABLE, Lua.OP_SELF -> {
                requireValue(Lua.GETARG_B(instruction), at, "index");
                spendOnText(operand(Lua.GETARG_C(instruction), at));
            }
            case Lua.OP_GETTABUP -> spendOnText(operand(Lua.GETARG_C(instruction), at));
            case Lua.OP_SETTABUP -> allowField(instruction, at);
            case Lua.OP_CALL, Lua.OP_TAILCALL -> {
                requireValue(Lua.GETARG_A(instruction), at, "call");
                allowCall(stacks[at][Lua.GETARG_A(instruction)]);
            }
            default -> {}
        }
        if (--countdown <= 0 || stopped != null) {
            look(0);
        }
    }

    @Override
    public String traceback(int level) {
        return "";
    }

    private void allowConcatenation(int instruction, LuaValue[] stack) {
        long length = 0;
        for (int i = Lua.GETARG_B(instruction), last = Lua.GETARG_C(instruction); i <= last; i++) {
            LuaValue value = NumberText.exact(stack[i]);
            stack[i] = value; // a register of this instruction alone
            length += value.type() == LuaValue.TSTRING ? value.rawlen() : 32;
        }
        if (length > LARGE_STRING) {
            allow(length, "..");
        }
    }

    private void allowField(int instruction, int at) {
        spendOnText(operand(Lua.GETARG_B(instruction), at));
        LuaValue value = operand(Lua.GETARG_C(instruction), at);
        if (value instanceof LuaTable) {
            allowField(operand(Lua.GETARG_B(instruction), at), value);
        }
    }

    /**
     * Throws an error that names what is missing, as Lua 5.2 does: LuaJ says {@code attempt to call
     * nil} only.
     *
     * @param what the instruction does with the value of the register
     */
    private void requireValue(int register, int at, String what) {
        if (stacks[at][register].isnil()) {
            throw new LuaError(
                    "attempt to "
                            + what
                            + " a nil value"
                            + VariableName.of(closures[at].p, counters[at], register));
        }
    }

    /** As {@link #requireValue}, for two operands: a table may have a metamethod that takes nil. */
    private void requireNumbers(int left, int right, int at) {
        if (!Lua.ISK(left) && !(operand(right, at) instanceof LuaTable)) {
            requireValue(left, at, ARITHMETIC);
        }
        if (!Lua.ISK(right) && !(operand(left, at) instanceof LuaTable)) {
            requireValue(right, at, ARITHMETIC);
        }
    }

    /** As {@link #requireNumbers}, for the registers of a concatenation. */
    private void requireTexts(int first, int last, int at) {
        for (int i = first; i <= last; i++) {
            if (stacks[at][i] instanceof LuaTable) {
                return;
            }
        }
        for (int i = first; i <= last; i++) {
            requireValue(i, at, "concatenate");
        }
    }

    /** Returns a constant, or what a register holds. */
    private LuaValue operand(int index, int at) {
        return Lua.ISK(index) ? closures[at].p.k[Lua.INDEXK(index)] : stacks[at][index];
    }

    /**
     * Refuses a table as {@code __call}, which Lua 5.2 cannot call either. LuaJ follows one that
     * leads back to itself without instructions.
     */
    static void allowField(LuaValue key, LuaValue value) {
        if (value instanceof LuaTable && key.raweq(LuaValue.CALL)) {
            throw new LuaError("__call must be a function");
        }
    }

    /** Refuses to call a table whose {@code __call} is a table, however it came there. */
    private static void allowCall(LuaValue called) {
        if (called instanceof LuaTable && called.getmetatable() instanceof LuaTable metatable) {
            allowField(LuaValue.CALL, metatable.rawget(LuaValue.CALL));
        }
    }

    /**
     * Looks at the limits, then lets others run.
     *
     * @param coming bytes of a string that is about to be made, 0 for none
     */
    private void look(long coming) {
        if (frame == null) {
            countdown = QUANTUM;
            return;
        }
        check();
        frame.instructions += QUANTUM - countdown;
        countdown = QUANTUM;
        long now = clock.nanos();
        long own = now - frame.began - frame.others;
        if (frame.instructions > limits.instructions()) {
            exceed(limits.instructions() + " instructions");
        } else if (own > limits.time()) {
            exceedTime();
        } else if (exceedsMemory(coming)) {
            exceed(memory + " bytes of memory");
        }
        if (own >= LuaLimits.SLICE && roomForTask()) {
            others.run();
            check();
        }
    }

    private boolean exceedsMemory(long coming) {
        long now = THREADS.getCurrentThreadAllocatedBytes();
        if (frame.allocated < 0) {
            frame.allocated = now;
        }
        boolean due = now + coming - frame.allocated >= step;
        if (frame.live < 0 && (due || coming > 0)) {
            boolean known = liveBefore >= 0 && LiveHeap.collections() == liveBeforeAt;
            frame.live = known ? liveBefore : LiveHeap.afterLastCollection();
            frame.allocated = now;
            frame.liveAt = now;
            return false;
        }
        if (!due) {
            return false;
        }
        frame.allocated = now;
        long grown = grown();
        boolean full = LiveHeap.free() < memory + coming;
        if (grown <= memory && !(full && now - frame.liveAt > memory)) {
            return false; // unless all that it has allocated is kept, and no collection has seen it
        }
        if (LiveHeap.collect()) {
            return grown() > memory;
        }
        return grown > (full ? memory : 2 * memory);
    }

    /** Returns by how much the heap has grown, as seen after its last collection. */
    private long grown() {
        long live = LiveHeap.afterLastCollection();
        frame.live = Math.min(frame.live, live);
        return live - frame.live;
    }

    private void exceedTime() {
        exceed(limits.time() / 1_000_000 + " ms");
    }

    private void exceed(String limit) {
        String reason = frame.name + " ends at " + place() + ": the limit is " + limit;
        log.add(Level.WARNING, reason);
        frame.stopped = new ScriptStopped(reason);
        check();
    }

    /** Returns script and line that run now. */
    private String place() {
        for (int i = depth - 1; i >= 0; i--) {
            LuaClosure closure = closures[i];
            if (closure != null) {
                int[] lines = closure.p.lineinfo;
                String line =
                        lines != null && counters[i] < lines.length ? ":" + lines[counters[i]] : "";
                return closure.p.source.tojstring() + line;
            }
        }
        return "no script";
    }

    /** The handler of errors outside {@code xpcall}: it keeps the message free of a traceback. */
    private static final class ErrorMessage extends OneArgFunction {
        static final ErrorMessage INSTANCE = new ErrorMessage();

        @Override
        public LuaValue call(LuaValue message) {
            return message;
        }
    }
}
