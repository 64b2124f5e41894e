import { exportPermissions, runAssertions } from '@passport/contract/permissions'
import { bringSample, company } from '@passport/world/company'
import { expect, test } from 'vitest'
import { startTestService } from '../test-service.ts'

test('the company of the world brings its sample once, and all that it says holds', async () => {
  const service = await startTestService({ CLIENTS: JSON.stringify([company]) })
  const { signal } = new AbortController()
  const ada = await service.as('ada')
  expect(await bringSample(service.url, signal)).toBe(true)
  const { items, failed } = await ada.call(runAssertions, {})
  expect({ tried: items.length, failed }).toEqual({ tried: 10, failed: 0 })
  const before = await (await ada.fetch(exportPermissions.path)).text()
  expect(await bringSample(service.url, signal)).toBe(false)
  expect(await (await ada.fetch(exportPermissions.path)).text()).toBe(before)
})
