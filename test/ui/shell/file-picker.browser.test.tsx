// The field for files: every choice is reported, the same file a second time, too.
import { createRoot } from 'react-dom/client';
import { expect, it, onTestFinished, vi } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { FilePicker } from '../../../src/ui/shell/controls.tsx';

it('reports what is picked, and the same file when it is picked again', async () => {
  const picked = vi.fn<(files: readonly File[]) => void>();
  const place = document.body.appendChild(document.createElement('div'));
  const root = createRoot(place);
  onTestFinished(() => {
    root.unmount();
    place.remove();
  });
  root.render(<FilePicker ref={null} multiple data-testid="files" onFiles={picked} />);
  const field = page.getByTestId('files');
  const file = new File(['{}'], 'chats.json');
  await userEvent.upload(field, file);
  await userEvent.upload(field, file);
  await vi.waitFor(() => expect(picked).toHaveBeenCalledTimes(2));
  for (const [files] of picked.mock.calls) {
    expect(files.map(({ name }) => name)).toEqual(['chats.json']);
    expect(await files[0]?.text()).toBe('{}');
  }
});
