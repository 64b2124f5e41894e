import { cleanup, configure } from '@testing-library/react'
import { afterEach, beforeAll } from 'vitest'

// Lazily loaded components take longer on a busy machine than the default of one second.
configure({ asyncUtilTimeout: 10_000 })

// Testing Library registers both of these on import, but shared modules are imported once and not for every file.
beforeAll(() => void Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true }))
afterEach(cleanup)
