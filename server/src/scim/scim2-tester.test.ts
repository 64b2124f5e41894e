import { execFile, execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { createTenant, startEntraService } from '../entra/test-entra.ts'
import { createTestClient } from './test-client.ts'

const root = join(import.meta.dirname, '../../..')
const source = join(root, 'e2e/interop/scim2-tester')

/** Installs the tester once, and again when its version changes; returns its Python. */
function install(): string {
  const directory = join(root, 'node_modules/.cache/interop/scim2-tester')
  const [python, stamp] = [join(directory, 'python'), join(directory, '.installed')]
  const wanted = readFileSync(join(source, 'requirements.txt'), 'utf8')
  if (!existsSync(stamp) || readFileSync(stamp, 'utf8') !== wanted) {
    mkdirSync(directory, { recursive: true })
    execFileSync('python3', ['-m', 'venv', python])
    execFileSync(join(python, 'bin/pip'), ['install', '--quiet', '-r', join(source, 'requirements.txt')])
    writeFileSync(stamp, wanted)
  }
  return join(python, 'bin/python')
}

/** Part of `npm run interop`, which has the time to install it. */
test.skipIf(process.env['INTEROP'] === undefined)(
  'scim2-tester reports no error',
  async () => {
    const entra = await startEntraService({ tenants: [createTenant(1)] })
    const client = await createTestClient(entra, 'company-1.example')
    const url = `${entra.service.url}/passport/scim/v2/${client.orgId}`
    const { stdout } = await promisify(execFile)(install(), [join(source, 'check.py'), url, client.token])
    const [count = '', ...reports] = stdout.trim().split('\n').reverse()
    expect(reports).toEqual([])
    expect(Number(/^\d+/.exec(count))).toBeGreaterThan(50)
  },
  600_000,
)
