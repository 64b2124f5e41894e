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
    <div className="grid items-end gap-2 sm:grid-cols-[minmax(0,1fr)_auto]">
      <Field
        label="Access Token"
        type={isRevealed ? 'text' : 'password'}
        readOnly
        autoComplete="off"
        spellCheck={false}
        className="font-mono text-[13px]"
        value={token}
      />
      <div className="flex flex-wrap gap-2">
        <CopyAction text={token} label="Copy" />
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
