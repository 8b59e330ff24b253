// Errors of OpenGL, told by the driver where they happen: for tests. SELVAGE_GL_CHECK=1 in the
// environment asks for it; the window then works as ever, perhaps more slowly.
#ifndef APPS_GL_CHECK_H
#define APPS_GL_CHECK_H

// Before the window is made: its context shall report errors.
void gl_check_ask(void);
// With the context current: from now on each error is a line on stderr. A driver that cannot
// report errors is a line too, so that no test passes by not looking.
void gl_check_start(void);

#endif
