import { useState } from 'react'
import { Button } from './Button.tsx'
import { Dialog } from './Dialog.tsx'

/** A field that two have changed: what I have typed, and what is saved meanwhile, as text. */
export interface Difference {
  name: string
  label: string
  mine: string
  theirs: string
  /** Mine where I changed it, theirs where only they did. */
  choice: 'mine' | 'theirs'
}

interface CompareDialogProps {
  isOpen: boolean
  /** What was changed, such as “this group”. */
  what: string
  differences: Difference[]
  isBusy: boolean
  onSave: (choices: Record<string, 'mine' | 'theirs'>) => void
  onClose: () => void
}

/** Shown where something was changed by someone else meanwhile: for each field, keep mine or take theirs. */
export function CompareDialog({ isOpen, what, onClose, ...rest }: CompareDialogProps) {
  return (
    <Dialog isOpen={isOpen} onClose={onClose} title={`Someone else changed ${what}`} className="w-[640px]">
      <Compare {...rest} onClose={onClose} />
    </Dialog>
  )
}

function Compare({ differences, isBusy, onSave, onClose }: Omit<CompareDialogProps, 'isOpen' | 'what'>) {
  const [choices, setChoices] = useState(() =>
    Object.fromEntries(differences.map(({ name, choice }) => [name, choice] as const)),
  )
  const choose = (name: string, choice: 'mine' | 'theirs') => setChoices((all) => ({ ...all, [name]: choice }))
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        onSave(choices)
      }}
    >
      <p className="mt-1.5 text-ink2">
        {differences.length > 0
          ? 'Choose for each field what is to be saved.'
          : 'They changed other things: yours can be saved beside theirs.'}
      </p>
      <div className="mt-4 grid gap-4">
        {differences.map((difference) => (
          <fieldset key={difference.name} className="min-w-0">
            <legend className="mb-1.5 font-[560]">{difference.label}</legend>
            <div className="grid gap-2 sm:grid-cols-2">
              {(['mine', 'theirs'] as const).map((side) => (
                <label
                  key={side}
                  className="flex min-w-0 cursor-pointer items-start gap-2.5 rounded-ctl border border-line p-3 has-checked:border-stamp has-checked:bg-selection"
                >
                  <input
                    type="radio"
                    name={`choice-${difference.name}`}
                    className="mt-0.5 size-4 shrink-0 accent-stamp"
                    checked={choices[difference.name] === side}
                    onChange={() => choose(difference.name, side)}
                  />
                  <span className="min-w-0">
                    <span className="block text-[13px] text-ink2">{side === 'mine' ? 'Keep mine' : 'Take theirs'}</span>
                    <span className="block break-words whitespace-pre-wrap">{difference[side] || '(empty)'}</span>
                  </span>
                </label>
              ))}
            </div>
          </fieldset>
        ))}
      </div>
      <div className="mt-5 flex flex-wrap justify-end gap-2">
        <Button onClick={onClose}>Keep editing</Button>
        <Button type="submit" look="primary" isBusy={isBusy}>
          Save
        </Button>
      </div>
    </form>
  )
}
