import { type ReactNode, Suspense, useState } from 'react'
import { lazyPart } from '../ui/lazy-part.tsx'
import type { Removal } from './RemovalDialog.tsx'

const RemovalDialog = lazyPart(async () => (await import('./RemovalDialog.tsx')).RemovalDialog)

/** Returns a function that asks before a removal, and the dialog to render, whose code is loaded on first use. */
export function useRemoval(): [ask: (removal: Removal) => void, dialog: ReactNode] {
  const [state, setState] = useState<{ removal?: Removal }>()
  const dialog = state && (
    <Suspense fallback={null}>
      <RemovalDialog removal={state.removal} onDone={() => setState({})} />
    </Suspense>
  )
  return [(removal) => setState({ removal }), dialog]
}
