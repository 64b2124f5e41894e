import { configure } from '@testing-library/react'

// Parts of the app are loaded when they are shown, and a busy machine takes its time for that.
configure({ asyncUtilTimeout: 10_000 })
