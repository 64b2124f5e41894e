import { Button } from '../ui/Button.tsx'
import { type Moment, toDay } from './days.ts'

interface MomentPickerProps {
  /** The chosen moment; undefined for now. */
  moment: Moment | undefined
  onPick: (day: string) => void
  /** Whether another part of the view has moved, so that Today leads back. */
  hasMoved?: boolean
}

/** Chooses the day whose grants are shown. */
export function MomentPicker({ moment, onPick, hasMoved = false }: MomentPickerProps) {
  const today = toDay(new Date())
  return (
    <div className="flex gap-2">
      <input
        type="date"
        aria-label="Date of the grants"
        className="ctl h-8 w-36 px-2 text-[13px]"
        value={moment ? toDay(moment.instant) : today}
        onChange={({ target }) => target.value && onPick(target.value)}
      />
      <Button isSmall disabled={!moment && !hasMoved} onClick={() => onPick(today)}>
        Today
      </Button>
    </div>
  )
}
