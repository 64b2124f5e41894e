import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { onFileEnd } from '../test-cleanups.ts'
import { claimDataDirectory } from './embedded-owner.ts'

const directory = mkdtempSync(join(tmpdir(), 'passport-owner-'))
onFileEnd(() => rmSync(directory, { recursive: true }))

test('the claim of a data directory can be read by its user only, also at its end', async () => {
  const { end, release } = await claimDataDirectory(directory, {})
  const file = join(directory, 'owner.json')
  const readMode = () => (statSync(file).mode & 0o777).toString(8)
  expect(readMode()).toBe('600')
  await end(() => {})
  expect(readMode()).toBe('600')
  release()
  expect(statSync(file, { throwIfNoEntry: false })).toBeUndefined()
})
