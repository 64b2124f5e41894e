import { findAccentError } from '@passport/contract/brand-values'
import { measureContrast, type Theme, toReadable } from '@passport/contract/contrast'
import { Check } from 'lucide-react'
import type { RefCallback } from 'react'
import { Button } from '../ui/Button.tsx'
import { Labelled } from '../ui/Labelled.tsx'

type AccentName = 'accentLight' | 'accentDark'
const themes = { accentLight: 'light', accentDark: 'dark' } as const

interface AccentFieldsProps {
  values: Record<AccentName, string>
  labels: Record<AccentName, string>
  errorOf: (name: AccentName) => string | undefined
  /** Returns the ref by which the form focuses a field with an error. */
  refOf: (name: AccentName) => RefCallback<HTMLInputElement>
  onChange: (name: AccentName, value: string) => void
}

/** The accent colour of each theme. The first one that is chosen suggests the other. */
export function AccentFields({ values, labels, errorOf, refOf, onChange }: AccentFieldsProps) {
  function change(name: AccentName, value: string) {
    onChange(name, value)
    const other = name === 'accentLight' ? 'accentDark' : 'accentLight'
    if (isColour(value) && values[other] === '') onChange(other, toReadable(value.toLowerCase(), themes[other]))
  }
  return (
    <div className="grid gap-4 px-4 pt-1 pb-5 sm:grid-cols-2 sm:px-[18px]">
      {(['accentLight', 'accentDark'] as const).map((name) => (
        <ColourField
          key={name}
          label={labels[name]}
          theme={themes[name]}
          value={values[name]}
          error={errorOf(name)}
          inputRef={refOf(name)}
          onChange={(value) => change(name, value)}
        />
      ))}
    </div>
  )
}

interface ColourFieldProps {
  label: string
  theme: Theme
  value: string
  error: string | undefined
  inputRef: RefCallback<HTMLInputElement>
  onChange: (value: string) => void
}

const isColour = (text: string) => /^#[0-9a-f]{6}$/i.test(text)
/** What the picker shows without a value: the default colours of links. */
const defaults = { light: '#2751b8', dark: '#a3c1fc' }

/** A colour by picker or as text, with its contrast and the nearest colour that is readable. */
function ColourField({ label, theme, value, error, inputRef, onChange }: ColourFieldProps) {
  const problem = value === '' ? undefined : findAccentError(value, theme)
  const hint =
    value === '' ? (
      'Default colour'
    ) : problem ? undefined : (
      <span className="inline-flex items-center gap-1">
        <Check size={14} aria-hidden="true" className="text-ok" />
        Contrast {measureContrast(value.toLowerCase(), theme).toFixed(2)}:1
      </span>
    )
  return (
    <div className="min-w-0">
      <Labelled label={label} hint={hint} error={error ?? problem}>
        {(control) => (
          <span className="flex gap-2">
            <input
              type="color"
              aria-label={`Choose the colour of the ${theme} theme`}
              className="h-9 w-11 flex-none cursor-pointer rounded-ctl border border-edge bg-card p-1 pointer-coarse:h-11"
              value={isColour(value) ? value.toLowerCase() : defaults[theme]}
              onChange={({ target }) => onChange(target.value)}
            />
            <input
              {...control}
              ref={inputRef}
              className="ctl min-w-0 flex-1 font-mono"
              placeholder={defaults[theme]}
              maxLength={7}
              spellCheck={false}
              autoComplete="off"
              value={value}
              onChange={({ target }) => onChange(target.value.trim())}
            />
          </span>
        )}
      </Labelled>
      {problem && isColour(value) && <Suggestion colour={toReadable(value.toLowerCase(), theme)} onUse={onChange} />}
    </div>
  )
}

const Suggestion = ({ colour, onUse }: { colour: string; onUse: (colour: string) => void }) => (
  <Button className="mt-2" onClick={() => onUse(colour)}>
    <span aria-hidden="true" className="size-3.5 rounded-full" style={{ background: colour }} />
    Use {colour}
  </Button>
)
