import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { ConfigError } from './config.ts'
import { generateSecret, readSecret, saveSecret } from './secret.ts'

let dataDir: string
const directories: string[] = []
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'passport-secret-'))
  directories.push(dataDir)
})
afterAll(() => {
  for (const directory of directories) rmSync(directory, { recursive: true })
})

test('a saved secret is readable only by its owner', () => {
  const [directory, secret] = [join(dataDir, 'new'), generateSecret()]
  expect(secret).toHaveLength(64)
  expect(readSecret(directory)).toBeUndefined()
  saveSecret(directory, secret)
  expect(readSecret(directory)).toBe(secret)
  expect(statSync(join(directory, 'secret')).mode & 0o777).toBe(0o600)
  expect(readdirSync(directory)).toEqual(['secret'])
})

test.for(['', '\n', 'the first half of a secr'])('a secret file with %j is an error and is not replaced', (rest) => {
  writeFileSync(join(dataDir, 'secret'), rest)
  expect(() => readSecret(dataDir)).toThrow(ConfigError)
  expect(readFileSync(join(dataDir, 'secret'), 'utf8')).toBe(rest)
})

test('an unfinished file of an interrupted start is ignored', () => {
  writeFileSync(join(dataDir, 'secret.new'), 'half')
  expect(readSecret(dataDir)).toBeUndefined()
})
