import { cleanup, configure } from '@testing-library/react'
import { afterAll, afterEach, beforeAll, vi } from 'vitest'

// Lazily loaded components take longer on a busy machine than the default of one second.
configure({ asyncUtilTimeout: 20_000 })

// Testing Library registers these on import, but shared modules are imported once and not for every file.
beforeAll(() => void Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true }))
afterEach(cleanup)

// The files of a worker share the window and the libraries. Modules keep state: the user, toasts, a hypothetical change.
afterAll(() => {
  vi.useRealTimers()
  localStorage.clear()
  sessionStorage.clear()
  history.replaceState(null, '', '/')
  document.body.replaceChildren()
  vi.resetModules()
})
