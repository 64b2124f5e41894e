import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { ConfigError } from './config.ts'
import { readSecret } from './secret.ts'

let dataDir: string
const made: string[] = []
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'passport-secret-'))
  made.push(dataDir)
})
afterAll(() => {
  for (const directory of made) rmSync(directory, { recursive: true })
})

test('a secret is made once, for its owner alone', () => {
  const secret = readSecret(join(dataDir, 'new'))
  expect(secret).toHaveLength(64)
  expect(readSecret(join(dataDir, 'new'))).toBe(secret)
  expect(statSync(join(dataDir, 'new/secret')).mode & 0o777).toBe(0o600)
  expect(readdirSync(join(dataDir, 'new'))).toEqual(['secret'])
})

test.for(['', '\n', 'the first half of a secr'])('a file that holds %j stops the start with a line', (rest) => {
  writeFileSync(join(dataDir, 'secret'), rest)
  expect(() => readSecret(dataDir)).toThrow(ConfigError)
  expect(readFileSync(join(dataDir, 'secret'), 'utf8')).toBe(rest)
})

test('what a start that was cut off left of one does not count', () => {
  writeFileSync(join(dataDir, 'secret.new'), 'half')
  expect(readSecret(dataDir)).toHaveLength(64)
})
