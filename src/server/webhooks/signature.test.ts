import { expect, test } from 'vitest';
import { secretProblem, signatureOf } from './signature.ts';

test('signs as the convention does: the vector of its own libraries', () => {
  const signature = signatureOf('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', {
    id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    timestamp: 1614265330,
    body: '{"test": 2432232314}',
  });
  expect(signature).toBe('v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=');
});

test('a secret without the prefix is the key itself', () => {
  // printf '%s' 'msg_1.1.{}' | openssl dgst -sha256 -hmac 'sixteen letters!' -binary | base64
  const signed = { id: 'msg_1', timestamp: 1, body: '{}' };
  expect(signatureOf('sixteen letters!', signed)).toBe(
    'v1,Y+SMYBHVDECoeTt/MR9drJEij83IcklEy+IrufQcRLM=',
  );
});

test('says when what follows the prefix is not a key', () => {
  expect(secretProblem('any other secret')).toBeUndefined();
  expect(secretProblem('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw')).toBeUndefined();
  const problem = 'begins with whsec_: then a key of at least 16 bytes in base64 must follow';
  for (const secret of [
    'whsec_',
    'whsec_not-base64-at-all-',
    'whsec_c2hvcnQ=aaaaaa',
    'whsec_c2hvcnQ=',
  ])
    expect(secretProblem(secret)).toBe(problem);
});
