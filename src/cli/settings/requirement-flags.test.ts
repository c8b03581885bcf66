import { Command } from 'commander';
import { expect, test } from 'vitest';
import { addRequirementFlags, type RequirementFlags, requirementsOf } from './requirement-flags.ts';

function asked(...args: string[]) {
  const command = addRequirementFlags(new Command()).exitOverride();
  command.configureOutput({ writeErr: () => {} }).parse(args, { from: 'user' });
  return requirementsOf(command.opts<RequirementFlags>());
}

test('asks for what was named, and for nothing else', () => {
  expect(asked()).toBeUndefined();
  expect(asked('--require-isolation', 'bubblewrap')).toEqual({ isolation: 'bubblewrap' });
  expect(asked('--require-type', 'pc,browser')).toEqual({ type: ['pc', 'browser'] });
});

test('refuses an isolation that no sandbox has: the job would wait for ever', () => {
  expect(() => asked('--require-isolation', 'bublewrap')).toThrow(
    'It is one of ses and bubblewrap, not "bublewrap".',
  );
});
