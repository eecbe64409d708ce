// SPDX-License-Identifier: Apache-2.0
package io.sirocco.home.mqtt;

import io.sirocco.home.project.ProjectObject;
import io.sirocco.home.project.ProjectObject.Feature;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * The types of objects that Home Assistant shows, by their names in a project: what its
 * configuration says, which features are its state, what a command calls. Immutable.
 */
enum DeviceType {
    DOUT("light") {
        @Override
        void describe(ObjectNode config, ProjectObject object) {
            config.put("command_topic", "~/set")
                    .put("state_topic", "~/state")
                    .put("schema", "json")
                    .putArray("supported_color_modes")
                    .add("onoff");
        }

        @Override
        Optional<String> state(ProjectObject object, double[] values) {
            return Optional.of(onOff(values[0] > 0).toString());
        }

        @Override
        List<Call> command(ProjectObject object, String payload, double[] values) {
            return List.of(new Call.Set(valueIndex(object), isOn(json(payload)) ? 1 : 0));
        }
    },

    DIMM("light") {
        @Override
        void describe(ObjectNode config, ProjectObject object) {
            DOUT.describe(config, object);
            config.putArray("supported_color_modes").add("brightness");
        }

        @Override
        Optional<String> state(ProjectObject object, double[] values) {
            int brightness = (int) (values[0] * FULL + 0.01); // 254 / 255 has a rounding error
            return Optional.of(
                    onOff(values[0] > 0)
                            .put("brightness", values[0] > 0 ? Math.max(1, brightness) : 0)
                            .toString());
        }

        @Override
        List<Call> command(ProjectObject object, String payload, double[] values) {
            JsonNode json = json(payload);
            double brightness = isOn(json) ? Json.number(json, "brightness", FULL).orElse(FULL) : 0;
            double value = Math.round(brightness / FULL * 1e6) / 1e6;
            return List.of(new Call.Set(valueIndex(object), value));
        }
    },

    LEDRGB("light") {
        private static final int EXECUTE_WHITE = 12;

        @Override
        void describe(ObjectNode config, ProjectObject object) {
            DOUT.describe(config, object);
            config.putArray("supported_color_modes").add("rgbw");
        }

        @Override
        List<Integer> features(ProjectObject object) {
            return Stream.of("RedValue", "GreenValue", "BlueValue", "WhiteValue")
                    .flatMap(name -> object.feature(name).stream())
                    .map(Feature::index)
                    .toList();
        }

        @Override
        Optional<String> state(ProjectObject object, double[] values) {
            if (values.length < 3) {
                return Optional.empty();
            }
            double most = brightest(values);
            ObjectNode state =
                    onOff(most > 0).put("brightness", (int) most).put("color_mode", "rgbw");
            ObjectNode color = state.putObject("color");
            for (int i = 0; i < CHANNELS.size(); i++) {
                color.put(CHANNELS.get(i), i < values.length ? (int) values[i] : 0);
            }
            return Optional.of(state.toString());
        }

        @Override
        List<Call> command(ProjectObject object, String payload, double[] values) {
            JsonNode json = json(payload);
            double[] channels = isOn(json) ? channels(json, values) : new double[4];
            List<Integer> methods =
                    Stream.concat(features(object).stream().limit(3), Stream.of(EXECUTE_WHITE))
                            .toList();
            if (methods.size() != channels.length) {
                throw new IllegalArgumentException(
                        "the project has no features RedValue, GreenValue, BlueValue of it");
            }
            return IntStream.range(0, channels.length)
                    .<Call>mapToObj(i -> new Call.Execute(methods.get(i), channels[i]))
                    .toList();
        }

        /**
         * A color is taken as it is; with a brightness, its brightest channel becomes that. A
         * brightness alone is that of all four. "On" alone changes nothing of a light that is on.
         */
        private static double[] channels(JsonNode json, double[] values) {
            OptionalDouble brightness = Json.number(json, "brightness", FULL);
            var channels = new double[4];
            if (!json.path("color").isObject()) {
                if (brightness.isEmpty() && brightest(values) > 0) {
                    return Arrays.copyOf(values, 4);
                }
                Arrays.fill(channels, brightness.orElse(FULL));
                return channels;
            }
            for (int i = 0; i < channels.length; i++) {
                channels[i] = Json.number(json.path("color"), CHANNELS.get(i), FULL).orElse(0);
            }
            double most = brightest(channels);
            for (int i = 0; i < channels.length && brightness.isPresent() && most > 0; i++) {
                channels[i] = Math.round(channels[i] * brightness.getAsDouble() / most);
            }
            return channels;
        }

        private static double brightest(double[] channels) {
            return Arrays.stream(channels).max().orElse(0);
        }
    },

    ROLLER_SHUTTER("cover") {
        private static final int EXECUTE_POSITION = 10;
        private static final int EXECUTE_STOP = 3;

        @Override
        void describe(ObjectNode config, ProjectObject object) {
            config.put("command_topic", "~/set")
                    .put("device_class", "shutter")
                    .put("position_topic", "~/state")
                    .put("set_position_topic", "~/set")
                    .put("set_position_template", "{ \"position\": {{ position }} }");
            if (features(object).size() > 1) {
                config.put("position_template", "{{ value_json.position }}")
                        .put("state_topic", "~/state")
                        .put("value_template", "{{ value_json.state }}");
            }
        }

        @Override
        List<Integer> features(ProjectObject object) {
            return object.feature("Position").isEmpty()
                    ? List.of()
                    : Stream.of("Position", "State")
                            .flatMap(name -> object.feature(name).stream())
                            .map(Feature::index)
                            .toList();
        }

        @Override
        Optional<String> state(ProjectObject object, double[] values) {
            ObjectNode state = Json.object().put("position", (int) values[0]);
            if (values.length > 1) {
                state.put("state", movement((int) values[1], values[0]));
            }
            return Optional.of(state.toString());
        }

        /** Returns the word for feature State: 1 is up, 2 is down, anything else is at rest. */
        private static String movement(int state, double position) {
            return switch (state) {
                case 1 -> "opening";
                case 2 -> "closing";
                default -> position > 0 ? "open" : "closed";
            };
        }

        @Override
        List<Call> command(ProjectObject object, String payload, double[] values) {
            return switch (payload.strip()) {
                case "OPEN" -> List.of(new Call.Execute(EXECUTE_POSITION, 100));
                case "CLOSE" -> List.of(new Call.Execute(EXECUTE_POSITION, 0));
                case "STOP" -> List.of(new Call.Execute(EXECUTE_STOP));
                default -> {
                    double position =
                            Json.number(json(payload), "position", 100)
                                    .orElseThrow(() -> new IllegalArgumentException("no position"));
                    yield List.of(new Call.Execute(EXECUTE_POSITION, position));
                }
            };
        }
    },

    THERMOSTAT("climate") {
        private static final int EXECUTE_START = 0;
        private static final int EXECUTE_STOP = 1;
        private static final int MAX_TEMPERATURE = 35;

        @Override
        void describe(ObjectNode config, ProjectObject object) {
            config.putArray("modes").add("off").add("heat");
            config.put("mode_command_topic", "~/set")
                    .put("mode_command_template", "{ \"mode\": \"{{ value }}\" }")
                    .put("mode_state_topic", "~/state")
                    .put("mode_state_template", "{{ value_json.mode }}")
                    .put("action_topic", "~/state")
                    .put("action_template", "{{ value_json.action }}")
                    .put("temperature_command_topic", "~/set")
                    .put("temperature_command_template", "{ \"temperature\": {{ value }} }")
                    .put("temperature_state_topic", "~/state")
                    .put("temperature_state_template", "{{ value_json.temperature }}")
                    .put("current_temperature_topic", "~/state")
                    .put("current_temperature_template", "{{ value_json.current_temperature }}")
                    .put("temperature_unit", "C")
                    .put("min_temp", 5)
                    .put("max_temp", MAX_TEMPERATURE)
                    .put("temp_step", 0.5);
        }

        @Override
        List<Integer> features(ProjectObject object) {
            return Stream.of("State", "TargetTemp", "CurrentTemp")
                    .flatMap(name -> object.feature(name).stream())
                    .map(Feature::index)
                    .toList();
        }

        @Override
        Optional<String> state(ProjectObject object, double[] values) {
            if (values.length < 3) {
                return Optional.empty();
            }
            boolean on = values[0] > 0;
            String heats = values[2] < values[1] ? "heating" : "idle";
            return Optional.of(
                    Json.object()
                            .put("mode", on ? "heat" : "off")
                            .put("temperature", values[1])
                            .put("current_temperature", values[2])
                            .put("action", on ? heats : "off")
                            .toString());
        }

        @Override
        List<Call> command(ProjectObject object, String payload, double[] values) {
            JsonNode json = json(payload);
            OptionalDouble temperature = Json.number(json, "temperature", MAX_TEMPERATURE);
            if (temperature.isPresent()) {
                int feature =
                        object.feature("PointValue")
                                .or(() -> object.feature("TargetTemp"))
                                .map(Feature::index)
                                .orElseThrow(
                                        () ->
                                                new IllegalArgumentException(
                                                        "the project has no feature TargetTemp of"
                                                                + " it"));
                return List.of(new Call.Set(feature, temperature.getAsDouble()));
            }
            return switch (json.path("mode").asString("")) {
                case "heat" -> List.of(new Call.Execute(EXECUTE_START));
                case "off" -> List.of(new Call.Execute(EXECUTE_STOP));
                default ->
                        throw new IllegalArgumentException(
                                "it has neither a temperature nor a mode heat or off");
            };
        }
    },

    PANELSENSTEMP("sensor") {
        @Override
        void describe(ObjectNode config, ProjectObject object) {
            PANELSENSLIGHT.describe(config.put("device_class", "temperature"), object);
        }
    },

    PANELSENSLIGHT("sensor") {
        @Override
        void describe(ObjectNode config, ProjectObject object) {
            config.put("state_topic", "~/state")
                    .put("state_class", "measurement")
                    .put("value_template", "{{ value | float }}");
            String unit = object.feature("Value").flatMap(Feature::unit).orElse("");
            if (unit.equalsIgnoreCase("lx") || unit.equalsIgnoreCase("lux")) {
                config.put("device_class", "illuminance").put("unit_of_measurement", "lx");
            } else if (!unit.isEmpty()) {
                config.put("unit_of_measurement", unit);
            }
        }
    },

    BUTTON("event") {
        @Override
        void describe(ObjectNode config, ProjectObject object) {
            config.put("state_topic", "~/state").put("device_class", "button");
            var types = config.putArray("event_types");
            for (Press press : Press.values()) {
                types.add(press.eventType());
            }
        }

        @Override
        List<Integer> features(ProjectObject object) {
            return List.of();
        }
    },

    PANEL_BUTTON("event") {
        @Override
        void describe(ObjectNode config, ProjectObject object) {
            BUTTON.describe(config, object);
        }

        @Override
        List<Integer> features(ProjectObject object) {
            return List.of();
        }
    };

    private static final double FULL = 255;
    private static final List<String> CHANNELS = List.of("r", "g", "b", "w");

    private final String component;

    DeviceType(String component) {
        this.component = component;
    }

    /** A call of an object that a command makes. Immutable. */
    sealed interface Call {
        /** Sets a feature. */
        record Set(int feature, double value) implements Call {}

        /** Calls a method, with or without an argument. */
        record Execute(int method, double... arguments) implements Call {}
    }

    /** Returns the type of an object, or empty if Home Assistant is not to show it. */
    static Optional<DeviceType> of(ProjectObject object) {
        return Stream.of(values())
                .filter(type -> type.name().equals(object.type()))
                .filter(type -> object.visible() && !object.removed())
                .findFirst();
    }

    String component() {
        return component;
    }

    /** Adds what this type has beside name, device and availability. */
    abstract void describe(ObjectNode config, ProjectObject object);

    /** Returns the indexes of the features that are its state. */
    List<Integer> features(ProjectObject object) {
        return List.of(valueIndex(object));
    }

    /** Returns the payload of the state, given the values of all its features. */
    Optional<String> state(ProjectObject object, double[] values) {
        return Optional.of(Double.toString(values[0]));
    }

    /**
     * Returns the calls that a command makes.
     *
     * @param values those of its features, or none if they are not known
     * @throws IllegalArgumentException if the command is malformed, or the type has none
     */
    List<Call> command(ProjectObject object, String payload, double[] values) {
        throw new IllegalArgumentException("it takes no commands");
    }

    boolean takesCommands() {
        return !component.equals("sensor") && !component.equals("event");
    }

    private static int valueIndex(ProjectObject object) {
        return object.feature("Value").map(Feature::index).orElse(0);
    }

    private static ObjectNode onOff(boolean on) {
        return Json.object().put("state", on ? "ON" : "OFF");
    }

    private static JsonNode json(String payload) {
        return Json.parse(payload)
                .orElseThrow(() -> new IllegalArgumentException("it is no JSON object"));
    }

    private static boolean isOn(JsonNode json) {
        return switch (json.path("state").asString("")) {
            case "ON" -> true;
            case "OFF" -> false;
            default -> throw new IllegalArgumentException("its state is neither ON nor OFF");
        };
    }
}
