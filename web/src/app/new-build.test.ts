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

test('a page that misses a file is loaded anew, and the failure is not shown', () => {
  expect(missingFile().defaultPrevented).toBe(true)
  expect(reload).toHaveBeenCalledOnce()
})

test('a file that is missing after that too is a failure', () => {
  missingFile()
  expect(missingFile().defaultPrevented).toBe(false)
  expect(reload).toHaveBeenCalledOnce()
})

test('another page has a try of its own', () => {
  missingFile()
  history.replaceState(null, '', '/app/account/logins')
  expect(missingFile().defaultPrevented).toBe(true)
  expect(reload).toHaveBeenCalledTimes(2)
})
