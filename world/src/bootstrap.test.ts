import { spawn } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'

const script = fileURLToPath(new URL('../../scripts/bootstrap.mjs', import.meta.url))

/** Stands for npm: adds a line to a file, and installs as long as another file is missing. */
const npm = `
  const { appendFileSync, existsSync, mkdirSync } = require('node:fs')
  appendFileSync('installations', 'once\\n')
  while (!existsSync('isDownloaded')) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5)
  mkdirSync('node_modules', { recursive: true })`

/** A clone without dependencies. */
function createClone() {
  const clone = mkdtempSync(join(tmpdir(), 'passport-clone-'))
  onTestFinished(() => rmSync(clone, { recursive: true }))
  mkdirSync(join(clone, 'scripts'))
  copyFileSync(script, join(clone, 'scripts/bootstrap.mjs'))
  writeFileSync(join(clone, 'package-lock.json'), '{}')
  writeFileSync(join(clone, 'npm.cjs'), npm)
  const bootstrap = () => {
    const env = { PATH: process.env['PATH'], npm_execpath: join(clone, 'npm.cjs') }
    const child = spawn(process.execPath, [join(clone, 'scripts/bootstrap.mjs')], { env })
    let output = ''
    child.stderr.on('data', (text) => {
      output += text
    })
    const exited = new Promise((resolve) => child.once('close', resolve))
    return { output: () => output, exited, kill: () => child.kill('SIGKILL') }
  }
  return { clone, bootstrap, finishDownload: () => writeFileSync(join(clone, 'isDownloaded'), '') }
}

test('two commands that are the first in a new clone install once, one after the other', async () => {
  const { clone, bootstrap, finishDownload } = createClone()
  const first = bootstrap()
  await expect.poll(() => existsSync(join(clone, 'installations'))).toBe(true)
  const second = bootstrap()
  await expect.poll(second.output).toContain('Waiting for another command that installs or builds')
  finishDownload()
  expect(await Promise.all([first.exited, second.exited])).toEqual([0, 0])
  expect(readFileSync(join(clone, 'installations'), 'utf8')).toBe('once\n')
  expect(existsSync(join(clone, '.bootstrap.lock'))).toBe(false)
})

test('a killed installation delays nobody', async () => {
  const { clone, bootstrap, finishDownload } = createClone()
  const killed = bootstrap()
  await expect.poll(() => existsSync(join(clone, 'installations'))).toBe(true)
  killed.kill()
  finishDownload()
  await killed.exited
  expect(existsSync(join(clone, '.bootstrap.lock'))).toBe(true)
  expect(await bootstrap().exited).toBe(0)
  expect(existsSync(join(clone, '.bootstrap.lock'))).toBe(false)
})
