// What a device tells of itself with every heartbeat. The schema is for the document: a received
// value that does not fit is treated as missing and named in `warnings`, it never costs the message.

import { z } from 'zod';

const percent = z.number().min(0).max(100).nullable().exactOptional();
const amount = z.number().min(0).nullable().exactOptional();
const word = z.string().nullable().exactOptional();
const answer = z.boolean().nullable().exactOptional();

export const telemetrySchema = z.object({
  cpu_load_percent: percent,
  cpu_load_source: word,
  cpu_cores: amount,
  ram_available_mb: amount,
  ram_total_mb: amount,
  battery_level_percent: percent,
  battery_charging: answer,
  network_latency_ms: amount,
  network_bandwidth_mbps: amount,
  network_type: word,
  metered: answer,
  power_watts: amount,
  energy_source: word,
  visibility: word,
});
