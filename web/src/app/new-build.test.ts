import { beforeEach, expect, test, vi } from 'vitest'
import { reloadOnceForNewBuild } from './new-build.ts'

const reload = vi.spyOn(location, 'reload').mockImplementation(() => {})
const missingFile = () => {
  const event = new Event('vite:preloadError', { cancelable: true })
  dispatchEvent(event)
  return event
}

reloadOnceForNewBuild()
beforeEach(() => {
  sessionStorage.clear()
  reload.mockClear()
})

test('reloads a page with a missing file and hides the failure', () => {
  expect(missingFile().defaultPrevented).toBe(true)
  expect(reload).toHaveBeenCalledOnce()
})

test('reports a file that is still missing after the reload', () => {
  missingFile()
  expect(missingFile().defaultPrevented).toBe(false)
  expect(reload).toHaveBeenCalledOnce()
})

test('each page reloads once', () => {
  missingFile()
  history.replaceState(null, '', '/app/account/logins')
  expect(missingFile().defaultPrevented).toBe(true)
  expect(reload).toHaveBeenCalledTimes(2)
})
