import { readFileSync } from 'node:fs'
import { exportPermissions, importPermissions, runAssertions } from '@passport/contract/permissions'
import { expect, test } from 'vitest'
import { startTestService } from '../test-service.ts'

const sample = new URL('../../../permissions/sample.yaml', import.meta.url)

test('the sample can be imported twice, and all its assertions hold', async () => {
  const service = await startTestService()
  const ada = await service.as('ada')
  const load = () =>
    ada.fetch(importPermissions.path, {
      method: 'POST',
      headers: { 'content-type': 'text/plain' },
      body: readFileSync(sample, 'utf8'),
    })
  expect((await load()).status).toBe(200)
  const { items, failed } = await ada.call(runAssertions, {})
  expect({ tried: items.length, failed }).toEqual({ tried: 10, failed: 0 })
  const before = await (await ada.fetch(exportPermissions.path)).text()
  expect((await load()).status).toBe(200)
  expect(await (await ada.fetch(exportPermissions.path)).text()).toBe(before)
})
