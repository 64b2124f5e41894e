import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { onFileEnd } from '../test-cleanups.ts'
import { claimDataDirectory } from './embedded-owner.ts'

const directory = mkdtempSync(join(tmpdir(), 'passport-owner-'))
onFileEnd(() => rmSync(directory, { recursive: true }))

test('the claim of a data directory can be read by its user only, and ends with it', () => {
  const release = claimDataDirectory(directory)
  const file = join(directory, 'owner.json')
  expect((statSync(file).mode & 0o777).toString(8)).toBe('600')
  release()
  expect(statSync(file, { throwIfNoEntry: false })).toBeUndefined()
})
