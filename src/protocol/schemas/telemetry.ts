// The values that a device sends with every heartbeat. The schema is for the document: a received value that
// does not fit counts as missing and is named in `warnings`; the message is accepted anyway.

import { z } from 'zod';

const percent = (meaning: string) =>
  z.number().min(0).max(100).nullable().exactOptional().describe(meaning);
const amount = (meaning: string) => z.number().min(0).nullable().exactOptional().describe(meaning);
const word = (meaning: string) => z.string().nullable().exactOptional().describe(meaning);
const answer = (meaning: string) => z.boolean().nullable().exactOptional().describe(meaning);

export const telemetrySchema = z
  .object({
    cpu_load_percent: percent('Share of the processor that is in use'),
    cpu_load_source: word('How the load was measured'),
    cpu_cores: amount('Cores that tasks may use'),
    ram_available_mb: amount('Memory that is free'),
    ram_total_mb: amount('Memory of the device'),
    battery_level_percent: percent('Null or absent: there is no battery'),
    battery_charging: answer('On mains'),
    network_latency_ms: amount('Round trip to the coordinator; measured by it when absent'),
    network_bandwidth_mbps: amount('As far as the device knows'),
    network_type: word('`wifi`, `cellular`, `ethernet`, …'),
    metered: answer('Traffic costs money'),
    power_watts: amount('What the device draws'),
    energy_source: word('How the power was measured'),
    visibility: word('Of a browser page: `visible` or `hidden`'),
  })
  .describe('What a device measures of itself; all of it optional')
  .meta({
    examples: [
      {
        cpu_load_percent: 12.5,
        ram_available_mb: 8192,
        battery_level_percent: 80,
        battery_charging: false,
        network_latency_ms: 3,
      },
    ],
  });
