import { useEffect, useState } from 'react'
import { Button } from '../ui/Button.tsx'
import { Field } from '../ui/Field.tsx'
import { CopyAction } from './CopyAction.tsx'

/** A token to copy. It is masked, and revealed only on request and while the page has the focus. */
export function MaskedToken({ token, onClear }: { token: string; onClear: () => void }) {
  const [isRevealed, setRevealed] = useState(false)
  useEffect(() => {
    if (!isRevealed) return
    const hide = () => setRevealed(false)
    addEventListener('blur', hide)
    document.addEventListener('visibilitychange', hide)
    return () => {
      removeEventListener('blur', hide)
      document.removeEventListener('visibilitychange', hide)
    }
  }, [isRevealed])
  return (
    <div className="grid gap-3">
      <Field
        label="Access Token"
        type={isRevealed ? 'text' : 'password'}
        readOnly
        autoComplete="off"
        spellCheck={false}
        className="h-12 bg-well font-mono text-[15px] text-ellipsis"
        value={token}
      />
      <div className="flex flex-wrap gap-2">
        <CopyAction text={token} label="Copy" variant="primary" className="min-w-32 max-sm:flex-1" />
        <Button aria-pressed={isRevealed} className="w-19" onClick={() => setRevealed(!isRevealed)}>
          {isRevealed ? 'Hide' : 'Reveal'}
        </Button>
        <Button variant="danger" onClick={onClear}>
          Clear
        </Button>
      </div>
    </div>
  )
}
