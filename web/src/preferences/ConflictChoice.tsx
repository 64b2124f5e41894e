import { useEffect, useRef } from 'react'
import { PreferenceValue } from '../directory/PreferenceValue.tsx'
import { Button } from '../ui/Button.tsx'
import type { Row } from './rows.ts'

interface ConflictChoiceProps {
  conflict: NonNullable<Row['conflict']>
  onChoose: (choice: 'mine' | 'theirs') => void
}

/** Both values of a preference that another tab or app changed first, and the choice between them. */
export function ConflictChoice({ conflict: { mine, theirs }, onChoose }: ConflictChoiceProps) {
  const first = useRef<HTMLButtonElement>(null)
  useEffect(() => first.current?.focus(), [])
  const sides = [
    { label: 'Saved by another tab or app', value: theirs?.value ?? '' },
    { label: 'Yours, not saved', value: mine },
  ]
  return (
    <div role="alert" className="rounded-ctl border border-warn p-3">
      <p className="font-[560]">This preference was changed while you edited it</p>
      <div className="mt-2 grid gap-3 sm:grid-cols-2">
        {sides.map(({ label, value }) => (
          <div key={label} className="min-w-0">
            <p className="mb-1 text-[13px] text-ink2">{label}</p>
            {value === '' ? <p>Deleted</p> : <PreferenceValue value={value} />}
          </div>
        ))}
      </div>
      <div className="mt-3 flex flex-wrap gap-2">
        <Button ref={first} isSmall onClick={() => onChoose('theirs')}>
          {theirs ? 'Keep the saved value' : 'Leave it deleted'}
        </Button>
        <Button isSmall onClick={() => onChoose('mine')}>
          {mine === '' ? 'Delete anyway' : 'Save mine'}
        </Button>
      </div>
    </div>
  )
}
