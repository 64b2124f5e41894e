import { type ReactNode, useRef } from 'react'

/** A chosen file, or one that is to be imported from a URL. */
export type NewFile = File | 'import'

interface FileInputProps {
  /** The media types or extensions, as in the attribute `accept`. */
  accept: string
  onFile: (file: File) => void
  /** Renders the content around a function that opens the file dialog. */
  children: (choose: () => void) => ReactNode
}

/** An area with a button that chooses a file. */
export function FileInput({ accept, onFile, children }: FileInputProps) {
  const input = useRef<HTMLInputElement>(null)
  return (
    <div>
      <input
        ref={input}
        type="file"
        hidden
        accept={accept}
        onChange={(event) => {
          const file = event.target.files?.[0]
          // Cleared, so that the same file can be chosen again.
          event.target.value = ''
          if (file) onFile(file)
        }}
      />
      {children(() => input.current?.click())}
    </div>
  )
}
