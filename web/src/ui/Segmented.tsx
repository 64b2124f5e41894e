interface SegmentedProps<T extends string> {
  label: string
  value: T
  options: readonly { value: T; label: string }[]
  onChange: (value: T) => void
}

/** A choice of one of a few views, as adjoining buttons. */
export function Segmented<T extends string>({ label, value, options, onChange }: SegmentedProps<T>) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset cannot be laid out as a row
    <div role="group" aria-label={label} className="flex rounded-ctl border border-line bg-well p-0.5">
      {options.map((option) => (
        <button
          key={option.value}
          type="button"
          aria-pressed={option.value === value}
          className="h-7 rounded-[5px] px-3 max-sm:px-2 text-[13px] text-ink2 aria-pressed:bg-card aria-pressed:font-[600] aria-pressed:text-ink aria-pressed:shadow-[0_0_0_1px_var(--line)] pointer-coarse:h-11"
          onClick={() => onChange(option.value)}
        >
          {option.label}
        </button>
      ))}
    </div>
  )
}
