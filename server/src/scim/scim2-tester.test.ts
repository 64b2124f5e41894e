import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { createTenant, startEntraService } from '../entra/test-entra.ts'
import { installPython, interopSource } from '../test-python.ts'
import { createTestClient } from './test-client.ts'

/** Part of `npm run interop`, which has the time to install it. */
test.skipIf(process.env['INTEROP'] === undefined)(
  'scim2-tester reports no error',
  async () => {
    const entra = await startEntraService({ tenants: [createTenant(1)] })
    const client = await createTestClient(entra, 'company-1.example')
    const url = `${entra.service.url}/passport/scim/v2/${client.orgId}`
    const python = join(installPython('scim2-tester'), 'python')
    const check = join(interopSource('scim2-tester'), 'check.py')
    const { stdout } = await promisify(execFile)(python, [check, url, client.token])
    const [count = '', ...reports] = stdout.trim().split('\n').reverse()
    expect(reports).toEqual([])
    expect(Number(/^\d+/.exec(count))).toBeGreaterThan(50)
  },
  600_000,
)
