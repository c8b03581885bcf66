// `muster.config.json` in the folder where a command is started: settings by their keys.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Command, InvalidArgumentError, type Option } from 'commander';
import { CommandFailure } from '../command-failure.ts';
import { type Setting, settings } from './settings.ts';
import { didYouMean } from '../suggestion.ts';

export const CONFIG_FILE = 'muster.config.json';

type Config = Readonly<Record<string, unknown>>;

/** Empty when there is no file. */
export function readConfig(folder: string): Config {
  let text: string;
  try {
    text = readFileSync(join(folder, CONFIG_FILE), 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
    throw new CommandFailure('usage', `${CONFIG_FILE} cannot be read: ${(error as Error).message}`);
  }
  return checked(parsed(text));
}

/** Gives the options of a command the values of the file, below flags and environment. */
export function applyConfig(command: Command, config: Config): void {
  for (const option of command.options) {
    const setting = settingOf(option);
    if (setting === undefined || config[setting.key] === undefined) continue;
    command.setOptionValueWithSource(
      option.attributeName(),
      valueOf(option, setting, config[setting.key]),
      'config',
    );
  }
}

function settingOf(option: Option): Setting | undefined {
  return Object.values<Setting>(settings).find(({ variable }) => variable === option.envVar);
}

// Values of the file get the same parser and the same sentences as flags.
function valueOf(option: Option, setting: Setting, value: unknown): unknown {
  if (setting.parse === undefined) return String(value);
  try {
    return setting.parse(textOf(value), undefined);
  } catch (error) {
    if (!(error instanceof InvalidArgumentError)) throw error;
    throw new CommandFailure('usage', `${CONFIG_FILE}, "${setting.key}": ${error.message}`);
  }
}

function textOf(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value);
  if (Array.isArray(value)) return value.map(String).join(',');
  return Object.entries(value)
    .map(([key, each]) => `${key}=${String(each)}`)
    .join(',');
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new CommandFailure('usage', `${CONFIG_FILE} is not JSON: ${(error as Error).message}`);
  }
}

function checked(value: unknown): Config {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new CommandFailure('usage', `${CONFIG_FILE} must hold an object, like {"port": 8000}.`);
  }
  const keys = Object.values<Setting>(settings).map(({ key }) => key);
  for (const key of Object.keys(value)) {
    if (key === '$schema' || keys.includes(key)) continue;
    throw new CommandFailure('usage', `${CONFIG_FILE} has an unknown key "${key}".`, [
      ...didYouMean(key, keys),
      `There are: ${keys.join(', ')}.`,
    ]);
  }
  return value as Config;
}
