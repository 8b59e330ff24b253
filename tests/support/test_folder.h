// A folder for the files of a test: setup and teardown of a group of cases.
#ifndef TESTS_TEST_FOLDER_H
#define TESTS_TEST_FOLDER_H

extern char test_folder[]; // its path

int test_folder_make(void **state);
int test_folder_remove(void **state);

#endif
