import type { Preference } from '@passport/contract/preferences'
import { Download, Upload } from 'lucide-react'
import { useRef, useState } from 'react'
import { readTextFile } from '../app/read-text-file.ts'
import { Button } from '../ui/Button.tsx'
import { toast } from '../ui/toast.ts'
import type { Row } from './rows.ts'

interface ImportExportProps {
  rows: Row[]
  /** Saves an imported preference; rejects on failure. */
  onImported: (preference: Preference) => Promise<void>
}

/** Buttons that import preferences from a JSON file, and download the saved ones as such a file. */
export function ImportExport({ rows, onImported }: ImportExportProps) {
  const input = useRef<HTMLInputElement>(null)
  const [progress, setProgress] = useState<string>()

  async function importFile(file: File | undefined) {
    if (!file) return
    const preferences = await readTextFile(file).then(parsePreferences, () => undefined)
    if (!preferences) return toast({ type: 'error', content: `${file.name} must be a JSON object with text values` })
    let failed = 0
    for (const [index, preference] of preferences.entries()) {
      setProgress(`${index + 1} of ${preferences.length}`)
      await onImported(preference).catch(() => failed++)
    }
    setProgress(undefined)
    const saved = preferences.length - failed
    return toast({
      type: failed === 0 ? 'success' : 'warning',
      content: `${saved} of ${preferences.length} imported${failed > 0 ? `; ${failed} failed, see the table` : ''}`,
    })
  }

  return (
    <>
      <Button isSmall isBusy={progress !== undefined} onClick={() => input.current?.click()}>
        <Upload size={15} />
        {progress ?? 'Import'}
      </Button>
      <input
        ref={input}
        type="file"
        accept="application/json,.json"
        aria-label="File to import"
        className="sr-only"
        tabIndex={-1}
        onChange={({ target }) => {
          void importFile(target.files?.[0])
          target.value = ''
        }}
      />
      <Button isSmall disabled={rows.length === 0} onClick={() => download(rows)}>
        <Download size={15} />
        Export
      </Button>
    </>
  )
}

/** Parses a JSON object such as `{ "MyApp.Theme": "dark" }`; returns undefined for anything else. */
function parsePreferences(text: string): Preference[] | undefined {
  try {
    const content: unknown = JSON.parse(text)
    if (typeof content !== 'object' || content === null || Array.isArray(content)) return undefined
    const entries = Object.entries(content)
    return entries.every(isText) ? entries.map(([key, value]) => ({ key, value })) : undefined
  } catch {
    return undefined
  }
}

const isText = (entry: [string, unknown]): entry is [string, string] => typeof entry[1] === 'string'

/** Downloads the saved values, not unsaved input. */
function download(rows: Row[]) {
  const saved = Object.fromEntries(rows.flatMap((row) => (row.saved ? [[row.saved.key, row.saved.value]] : [])))
  const link = document.createElement('a')
  link.href = URL.createObjectURL(new Blob([JSON.stringify(saved, null, 2)], { type: 'application/json' }))
  link.download = 'preferences.json'
  link.click()
  URL.revokeObjectURL(link.href)
}
