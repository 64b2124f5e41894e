import { exportPermissions, runAssertions } from '@passport/contract/permissions'
import { company, importSample } from '@passport/world/company'
import { expect, test } from 'vitest'
import { startTestService } from '../test-service.ts'

test('the demo company imports its sample once, and all its assertions hold', async () => {
  const service = await startTestService({ CLIENTS: JSON.stringify([company]) })
  const { signal } = new AbortController()
  const ada = await service.as('ada')
  expect(await importSample(service.url, signal)).toBe(true)
  const { items, failed } = await ada.call(runAssertions, {})
  expect({ tried: items.length, failed }).toEqual({ tried: 10, failed: 0 })
  const before = await (await ada.fetch(exportPermissions.path)).text()
  expect(await importSample(service.url, signal)).toBe(false)
  expect(await (await ada.fetch(exportPermissions.path)).text()).toBe(before)
})
