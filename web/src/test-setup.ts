import { cleanup, configure } from '@testing-library/react'
import { toast } from 'react-toastify/unstyled'
import { afterAll, afterEach, beforeAll, expect, vi } from 'vitest'

// Lazily loaded components take longer on a busy machine than the default of one second.
configure({ asyncUtilTimeout: 20_000 })

// Testing Library registers these on import, but shared modules are imported once and not for every file.
const setActEnvironment = (isOn: boolean) => Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: isOn })
beforeAll(() => void setActEnvironment(true))
afterEach(cleanup)

// Files of a worker share the window, and with it storage and the toast container, which no test unmounts.
afterAll(async () => {
  vi.useRealTimers()
  setActEnvironment(false)
  toast.clearWaitingQueue()
  toast.dismiss()
  await vi.waitFor(() => {
    const left = document.querySelectorAll('.Toastify__toast')
    // No animation runs in this window, so nothing else ends the exit of a toast.
    for (const message of left) message.dispatchEvent(new Event('animationend', { bubbles: true }))
    expect(left).toHaveLength(0)
  }, 30_000)
  localStorage.clear()
  sessionStorage.clear()
})
