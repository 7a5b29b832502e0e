// The browser's own dialog for files, opened by a button beside it.
import type { InputHTMLAttributes, Ref } from 'react';

type FilePickerProps = {
  /** `click()` opens the dialog. */
  ref: Ref<HTMLInputElement>;
  /** Called with the picked files, one at least; also when the same ones are picked again. */
  onFiles: (files: readonly File[]) => void;
  'data-import'?: string;
  'data-testid'?: string;
} & Pick<InputHTMLAttributes<HTMLInputElement>, 'accept' | 'multiple'>;

/** A hidden field for files. */
export function FilePicker({ onFiles, ...rest }: FilePickerProps) {
  return (
    <input
      {...rest}
      type="file"
      hidden
      onChange={({ currentTarget: input }) => {
        const files = [...(input.files ?? [])];
        // Else the browser would not report the same file a second time. It also empties the list.
        input.value = '';
        if (files.length > 0) onFiles(files);
      }}
    />
  );
}
