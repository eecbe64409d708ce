// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home.object;

import io.sirocco.home.schedule.EventRule;
import io.sirocco.home.schedule.RuleException;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.luaj.vm2.LuaValue;
import org.luaj.vm2.Varargs;

/**
 * Events by named rules, class 43, such as {@code lights: 0 22 * * *; garden: @sunset+30m Mon-Fri};
 * {@link EventRule} describes them. A rule without a name has an id only.
 *
 * <table>
 * <caption>Interface</caption>
 * <tr><td>features</td><td>0 RuleList: all rules, separated by semicolons; to set it replaces them;
 *     1 CurrentRule: name of the rule that occurred last; 2 NextRule: name of the next one, both
 *     empty if there is none; 3 RuleCount; 4 RuleAvailableCount: how many can be added; 5 State: 0
 *     stopped, 1 started</td></tr>
 * <tr><td>methods</td><td>0 Start, 1 Stop, 2 AddRule(rule): returns its id, nil if it is wrong; 3
 *     DeleteRule(id), 4 GetRule(id): the rule, or nil; 5 EnableRule(id), 6 DisableRule(id); 7
 *     GetRules: a string of ids and rules, {@code 1: lights: 0 22 * * *; 2: 5 6 * * *}; 8 GetNextRule: id and minutes, rounded up, or nil. An id is
 *     the number or the name of a rule; 3, 5 and 6 return whether there is one</td></tr>
 * <tr><td>events</td><td>0 OnStart, 1 OnStop, 2 OnEvent(name, id), 3 OnRuleAdd(name, id), 4
 *     OnRuleDelete(name, id)</td></tr>
 * </table>
 *
 * <p>There are at most 100 rules; no two have the same name. Numbers are not used again. Added
 * rules are not kept over a reset: a script can store RuleList. Rules of the same minute occur in
 * the order of their ids. Used by one thread, that of the scripts.
 */
final class EventScheduler extends ScheduledObject {
    private static final int RULE_LIST = 0;
    private static final int CURRENT_RULE = 1;
    private static final int NEXT_RULE = 2;
    private static final int RULE_COUNT = 3;
    private static final int RULE_AVAILABLE_COUNT = 4;
    private static final int STATE = 5;
    private static final int ADD_RULE = 2;
    private static final int DELETE_RULE = 3;
    private static final int GET_RULE = 4;
    private static final int ENABLE_RULE = 5;
    private static final int DISABLE_RULE = 6;
    private static final int GET_RULES = 7;
    private static final int GET_NEXT_RULE = 8;
    private static final int ON_START = 0;
    private static final int ON_STOP = 1;
    private static final int ON_EVENT = 2;
    private static final int ON_RULE_ADD = 3;
    private static final int ON_RULE_DELETE = 4;
    private static final int MAX_RULES = 100;

    private final Map<Integer, EventRule> rules = new TreeMap<>();
    private int lastId;
    private String current = "";

    EventScheduler(String name, ObjectContext context) {
        super(name, context, STATE, ON_START, ON_STOP);
    }

    @Override
    public LuaValue get(int index) {
        return switch (index) {
            case RULE_LIST ->
                    LuaText.of(
                            rules.values().stream()
                                    .map(EventRule::toString)
                                    .collect(Collectors.joining("; ")));
            case CURRENT_RULE -> LuaText.of(current);
            case NEXT_RULE -> LuaText.of(nextId().map(rules::get).map(EventRule::name).orElse(""));
            case RULE_COUNT -> LuaValue.valueOf(rules.size());
            case RULE_AVAILABLE_COUNT -> LuaValue.valueOf(MAX_RULES - rules.size());
            default -> super.get(index);
        };
    }

    @Override
    public void set(int index, LuaValue value) {
        switch (index) {
            case RULE_LIST -> replace(LuaText.text(value));
            case CURRENT_RULE, NEXT_RULE, RULE_COUNT, RULE_AVAILABLE_COUNT ->
                    readOnly(Integer.toString(index));
            default -> super.set(index, value);
        }
    }

    /** Replaces all rules, or none if one is wrong. */
    private void replace(String text) {
        try {
            List<EventRule> all = EventRule.parseAll(text);
            List<String> names =
                    all.stream().map(EventRule::name).filter(name -> !name.isEmpty()).toList();
            if (all.size() > MAX_RULES || Set.copyOf(names).size() < names.size()) {
                warn(
                        "feature RuleList: there may be "
                                + MAX_RULES
                                + " rules, each with a name of its own; the old ones stay");
                return;
            }
            rules.clear();
            all.forEach(rule -> rules.put(++lastId, rule));
            reschedule();
        } catch (RuleException e) {
            warn("feature RuleList: " + e.getMessage() + " The old rules stay.");
        }
    }

    @Override
    public Varargs execute(int method, Varargs arguments) {
        return switch (method) {
            case ADD_RULE -> add(string("AddRule", arguments, 1));
            case DELETE_RULE -> LuaValue.valueOf(delete(id(arguments.arg1())));
            case GET_RULE ->
                    id(arguments.arg1())
                            .<LuaValue>map(id -> LuaText.of(rules.get(id).toString()))
                            .orElse(LuaValue.NIL);
            case ENABLE_RULE -> LuaValue.valueOf(enable(id(arguments.arg1()), true));
            case DISABLE_RULE -> LuaValue.valueOf(enable(id(arguments.arg1()), false));
            case GET_RULES ->
                    LuaText.of(
                            rules.entrySet().stream()
                                    .map(each -> each.getKey() + ": " + each.getValue())
                                    .collect(Collectors.joining("; ")));
            case GET_NEXT_RULE ->
                    nextId().<Varargs>map(
                                    id ->
                                            LuaValue.varargsOf(
                                                    LuaValue.valueOf(id), minutesUntil(due())))
                            .orElse(LuaValue.NIL);
            default -> super.execute(method, arguments);
        };
    }

    private LuaValue add(String text) {
        EventRule rule;
        try {
            rule = EventRule.parse(text);
        } catch (RuleException e) {
            warn("AddRule: " + e.getMessage());
            return LuaValue.NIL;
        }
        if (rules.size() == MAX_RULES
                || !rule.name().isEmpty()
                        && rules.values().stream()
                                .anyMatch(each -> each.name().equals(rule.name()))) {
            warn(
                    rules.size() == MAX_RULES
                            ? "AddRule: there are " + MAX_RULES + " rules already"
                            : "AddRule: there is a rule " + rule.name() + " already");
            return LuaValue.NIL;
        }
        rules.put(++lastId, rule);
        fire(ON_RULE_ADD, LuaText.of(rule.name()), LuaValue.valueOf(lastId));
        reschedule();
        return LuaValue.valueOf(lastId);
    }

    private Optional<Integer> id(LuaValue value) {
        String text = LuaText.text(value);
        return rules.entrySet().stream()
                .filter(
                        each ->
                                value.isint() && each.getKey() == value.toint()
                                        || !text.isEmpty() && each.getValue().name().equals(text))
                .map(Map.Entry::getKey)
                .findFirst();
    }

    private boolean delete(Optional<Integer> id) {
        id.ifPresent(
                number -> {
                    EventRule rule = rules.remove(number);
                    fire(ON_RULE_DELETE, LuaText.of(rule.name()), LuaValue.valueOf(number));
                    reschedule();
                });
        return id.isPresent();
    }

    private boolean enable(Optional<Integer> id, boolean enabled) {
        id.ifPresent(
                number -> {
                    rules.computeIfPresent(number, (key, rule) -> rule.withEnabled(enabled));
                    reschedule();
                });
        return id.isPresent();
    }

    private Optional<Integer> nextId() {
        return due().flatMap(
                        at ->
                                rules.entrySet().stream()
                                        .filter(each -> occurs(each.getValue(), at))
                                        .map(Map.Entry::getKey)
                                        .min(Comparator.naturalOrder()));
    }

    private boolean occurs(EventRule rule, Instant at) {
        return rule.next(at.minusNanos(1), zone()).filter(at::equals).isPresent();
    }

    @Override
    Optional<Instant> next(Instant after) {
        return rules.values().stream()
                .flatMap(rule -> rule.next(after, zone()).stream())
                .min(Instant::compareTo);
    }

    @Override
    void occur(Instant after, Instant until) {
        rules.forEach(
                (id, rule) -> {
                    Optional<Instant> at = rule.next(after, zone());
                    if (at.isPresent() && !at.get().isAfter(until)) {
                        current = rule.name();
                        fire(ON_EVENT, LuaText.of(current), LuaValue.valueOf(id));
                    }
                });
    }
}
