import type { LucideIcon } from 'lucide-react'
import type { ComponentProps } from 'react'

interface ChoiceCardProps extends ComponentProps<'input'> {
  label: string
  hint: string
  icon?: LucideIcon
}

/** A radio button as a card with a line about the choice; accepts the props returned by a form's `register`. */
export function ChoiceCard({ label, hint, icon: Icon, ...input }: ChoiceCardProps) {
  return (
    <label className="relative flex cursor-pointer gap-3 rounded-ctl border border-line p-3 outline-offset-2 outline-stamp has-checked:border-stamp has-checked:bg-well has-checked:ring-1 has-checked:ring-stamp has-focus-visible:outline-2">
      {/* Transparent over the whole card, which shows its state and its focus. */}
      <input type="radio" {...input} className="absolute inset-0 size-full cursor-pointer opacity-0" />
      {Icon && <Icon size={20} strokeWidth={1.75} aria-hidden="true" className="mt-0.5 shrink-0" />}
      <span>
        <span className="block font-[560]">{label}</span>
        <span className="mt-0.5 block text-[13px] text-ink2">{hint}</span>
      </span>
    </label>
  )
}
